import { App } from "../app.ts";
import type { ResponseSchemas } from "./route.ts";
import type { StandardSchema } from "../validation/standard-schema.ts";

declare const book: StandardSchema;
const app = new App();
app.get("/", { responses: { 200: book, "4XX": book, default: book } }, () => 1);

export const byStatus: ResponseSchemas = { [Number("200")]: book };

// @ts-expect-error a status class has an upper-case X
app.get("/", { responses: { "2xx": book } }, () => 1);
// @ts-expect-error informational replies have no body
app.get("/", { responses: { "1XX": book } }, () => 1);
