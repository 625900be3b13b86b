import { Injectable } from "@nestjs/common";
import { BookStore } from "../book-store.ts";

@Injectable()
export class BooksService extends BookStore {}
