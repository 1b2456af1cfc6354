"""Adds, pages, fetches, clears a status and reads an error, and prints what came back."""

import json
import os

from storeapi import AnimalsApi, ApiClient, Configuration, NewPet, PetChange, PetStatus
from storeapi.exceptions import NotFoundException


def pages(animals):
    cursor = None
    while True:
        page = animals.list_pets_with_http_info(limit=2, cursor=cursor)
        yield [pet.name for pet in page.data]
        cursor = page.headers.get("next-cursor")
        if cursor is None:
            return


def error(animals):
    try:
        animals.get_pet(999)
    except NotFoundException as exception:
        return f"{exception.data.status} {exception.data.code}"
    return "none"


configuration = Configuration(host=os.environ["BASE_URL"], access_token=os.environ["API_KEY"])
with ApiClient(configuration) as client:
    animals = AnimalsApi(client)
    bella = NewPet(name="Bella", category_id=9007199254740993, status=PetStatus.AVAILABLE)
    added = animals.create_pet(bella, idempotency_key='"add Bella"')
    again = animals.create_pet(bella, idempotency_key='"add Bella"')
    for name in ["Rex", "Ada"]:
        animals.create_pet(NewPet(name=name, category_id=1))
    listed = list(pages(animals))
    fetched = animals.get_pet(added.id)
    cleared = animals.change_pet(added.id, PetChange(status=None))
    result = {
        "again": again.id == added.id,
        "pages": listed,
        "category": str(fetched.category_id),
        "status": fetched.status,
        "cleared": cleared.status is None,
        "error": error(animals),
    }
print(json.dumps(result))
