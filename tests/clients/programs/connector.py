# mypy: ignore-errors
"""A program of the kind that is published with agents: it knows a live org and nothing of this package.

It logs in from the environment, answers each argument as SOQL or SOSL, and hands an agent the error's text.
"""

import json
import os
import sys

from simple_salesforce import Salesforce


class Connector:
    def __init__(self):
        self.sf = Salesforce(
            username=os.environ["SALESFORCE_USERNAME"],
            password=os.environ["SALESFORCE_PASSWORD"],
            security_token=os.environ["SALESFORCE_SECURITY_TOKEN"],
        )

    def run_query(self, query):
        """The records or what went wrong, and whether it went right."""
        try:
            if query.strip().upper().startswith("FIND"):
                return self.sf.search(query)["searchRecords"], True
            return self.sf.query_all(query)["records"], True
        except Exception as e:
            return f"Error: {e.content[0]['errorCode']}: {e.content[0]['message']}", False


def without_attributes(record):
    return {name: value for name, value in record.items() if name != "attributes"}


if __name__ == "__main__":
    connector = Connector()
    for query in sys.argv[1:]:
        found, good = connector.run_query(query)
        print(json.dumps([without_attributes(record) for record in found] if good else found))
