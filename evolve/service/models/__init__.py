"""What the REST API takes and returns, as JSON documents: the one source of its OpenAPI schema.

Ids name only things of this service: no path, command or URL is ever sent.
"""
