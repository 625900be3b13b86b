import { command } from "@framework/cqrs";
import { z } from "zod";
import { BookId, Member } from "./fields.ts";

/** Commands about one book run one after the other, so a second borrower is refused at once, without a conflict and its retries. */
const key = ({ id }: { readonly id: number }): string => `book ${id}`;

export const BorrowBook = command("BorrowBook", {
  input: z.object({ id: BookId, member: Member }),
  output: z.object({ book: z.int(), member: z.string(), dueAt: z.string() }),
  key,
  http: {
    path: "/books/{id}/loan",
    status: 201,
    tags: ["lending"],
    summary: "Borrow a book",
    errors: [404, 409],
  },
});

export const ReturnBook = command("ReturnBook", {
  input: z.object({ id: BookId }),
  key,
  http: {
    path: "/books/{id}/loan",
    method: "DELETE",
    tags: ["lending"],
    summary: "Return a book",
    errors: [409],
  },
});

/** Has no endpoint: only the job of `reminder.ts` executes it. */
export const RemindMember = command("RemindMember", {
  input: z.object({ id: z.int(), dueAt: z.iso.datetime() }),
  key,
});
