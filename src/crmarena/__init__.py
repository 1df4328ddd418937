"""An offline, Salesforce-faithful arena for LLM agents on CRM work."""
