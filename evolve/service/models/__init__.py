"""What the REST API takes and gives, as documents of JSON: the one source of its OpenAPI schema.

Ids name things of this service and nothing else: no path, no command, no URL is ever sent.
"""
