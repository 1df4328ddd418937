"""The objects of each org type: fields, references, ids, describe."""
