import { z } from "zod";
import { text, wholeNumber } from "../fields.ts";

/** Id of a book in a path. */
export const BookId = wholeNumber(/^[1-9]\d{0,14}$/);

/** Name of a member. */
export const Member = text(200).refine((value) => value.trim() !== "", "must not be blank");

/** An instant as text, by which it also sorts: 2026-01-15T00:00:00.000Z. */
export const Instant = z.iso.datetime();
