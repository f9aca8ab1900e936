"""The service: jobs, a REST API and a page over a folder of runs. Needs the extra `serve`."""
