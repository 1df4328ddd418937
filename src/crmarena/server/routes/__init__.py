"""The resources of the API, one module each; `app` puts them together."""
