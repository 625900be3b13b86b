import os
from typing import Annotated

from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, StrictInt
from starlette.exceptions import HTTPException as StarletteHTTPException


class NewBook(BaseModel):
    title: str = Field(min_length=1)
    author: str = "Unknown"
    year: Annotated[StrictInt, Field(ge=0)] | None = None


class Book(NewBook):
    id: int


class Page(BaseModel):
    books: list[Book]
    total: int


def create_app(api_key: str) -> FastAPI:
    """The books service in FastAPI."""
    app = FastAPI()
    books: list[Book] = []

    async def require_key(x_api_key: Annotated[str | None, Header()] = None) -> None:
        if x_api_key != api_key:
            raise HTTPException(401, "Unauthorized")

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/books")
    async def list_books(
        page: Annotated[int, Query(ge=1)] = 1,
        size: Annotated[int, Query(ge=1, le=100)] = 20,
    ) -> Page:
        first = (page - 1) * size
        return Page(books=books[first : first + size], total=len(books))

    @app.get("/books/{id}")
    async def find_book(id: int) -> Book:
        found = next((book for book in books if book.id == id), None)
        if found is None:
            raise HTTPException(404, "Book not found")
        return found

    @app.post("/books", status_code=201, dependencies=[Depends(require_key)])
    async def add_book(new_book: NewBook, response: Response) -> Book:
        if any((book.title, book.author) == (new_book.title, new_book.author) for book in books):
            raise HTTPException(409, "The book exists already")
        book = Book(id=len(books) + 1, **new_book.model_dump())
        books.append(book)
        response.headers["location"] = f"/books/{book.id}"
        return book

    @app.exception_handler(RequestValidationError)
    async def invalid_input(request: Request, error: RequestValidationError) -> JSONResponse:
        fields = ["body" if each["type"] == "json_invalid" else each["loc"][1] for each in error.errors()]
        return JSONResponse({"error": "Invalid input", "fields": list(dict.fromkeys(fields))}, 400)

    @app.exception_handler(StarletteHTTPException)
    async def refused(request: Request, error: StarletteHTTPException) -> JSONResponse:
        text = "Not found" if error.detail == "Not Found" else error.detail
        return JSONResponse({"error": text}, error.status_code)

    return app


app = create_app(os.environ.get("API_KEY", ""))
