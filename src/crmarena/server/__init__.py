"""The org over HTTP: Salesforce's REST API, its logins, Bulk API 2.0."""
