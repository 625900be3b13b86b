from fastapi.testclient import TestClient

from app import create_app


def test_a_book_that_was_added_is_found() -> None:
    client = TestClient(create_app("key"))
    created = client.post("/books", json={"title": "Emma"}, headers={"X-API-Key": "key"})
    assert created.status_code == 201
    found = client.get(f"/books/{created.json()['id']}").json()
    assert (found["title"], found["author"]) == ("Emma", "Unknown")
