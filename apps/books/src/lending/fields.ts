import { z } from "zod";
import { text, wholeNumber } from "../fields.ts";

/** Id of a book in a path. */
export const BookId = wholeNumber(/^[1-9]\d{0,14}$/);

/** Name of a member. */
export const Member = text(200).refine((value) => value.trim() !== "", "must not be blank");

/** An instant as text that sorts in order of time: 2026-01-15T00:00:00.000Z. */
export const Instant = z.iso.datetime();
