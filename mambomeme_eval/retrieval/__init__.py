"""Retrieval measured side by side: routes on judged queries, on other people's queries, and beside other libraries."""
