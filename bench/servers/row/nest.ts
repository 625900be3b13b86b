/** Nest on Fastify, with the bare library as a provider. */
import { Controller, Get, Inject, Module, NotFoundException, Param, ParseIntPipe } from "@nestjs/common";
import { decorate, startNest } from "../nest-service.ts";
import { type Book, type FindBook, openBooks } from "./books.ts";

const FIND_BOOK = "find-book";

class BooksController {
  private readonly find: FindBook;

  constructor(find: FindBook) {
    this.find = find;
  }

  async book(id: number): Promise<Book> {
    const book = await this.find(id);
    if (book === undefined) throw new NotFoundException();
    return book;
  }
}
Inject(FIND_BOOK)(BooksController, undefined, 0);
Reflect.defineMetadata("design:paramtypes", [Number], BooksController.prototype, "book");
decorate(BooksController.prototype, "book", Get("/books/:id"));
Param("id", ParseIntPipe)(BooksController.prototype, "book", 0);
Controller()(BooksController);

class BooksModule {}
Module({
  controllers: [BooksController],
  providers: [{ provide: FIND_BOOK, useFactory: openBooks }],
})(BooksModule);
await startNest(BooksModule);
