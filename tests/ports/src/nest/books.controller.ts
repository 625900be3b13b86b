import {
  Body,
  ConflictException,
  Controller,
  Get,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Res,
  UseGuards,
} from "@nestjs/common";
import type { Response } from "express";
import type { Book, NewBook } from "../book-store.ts";
import { BooksService } from "./books.service.ts";
import { ApiKeyGuard } from "./api-key.guard.ts";
import { invalidInput } from "./errors.filter.ts";
import { NewBookSchema, type Page, PageSchema } from "./schemas.ts";

const parseId = new ParseIntPipe({ exceptionFactory: () => invalidInput(["id"]) });

@Controller("books")
export class BooksController {
  constructor(private readonly books: BooksService) {}

  @Get()
  list(@Query({ schema: PageSchema }) page: Page): { books: readonly Book[]; total: number } {
    return this.books.list(page);
  }

  @Get(":id")
  find(@Param("id", parseId) id: number): Book {
    const book = this.books.find(id);
    if (book === undefined) throw new NotFoundException("Book not found");
    return book;
  }

  @Post()
  @UseGuards(ApiKeyGuard)
  add(
    @Body({ schema: NewBookSchema }) newBook: NewBook,
    @Res({ passthrough: true }) response: Response,
  ): Book {
    const book = this.books.add(newBook);
    if (book === undefined) throw new ConflictException("The book exists already");
    response.location(`/books/${book.id}`);
    return book;
  }
}
