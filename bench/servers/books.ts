/** A stateless books service, so that any worker can serve each request. Used by the kill, drain and memory benchmarks. */
import { setTimeout as pause } from "node:timers/promises";
import { App, Response, type StandardSchema, toInt } from "@framework/core";
import { readVitals } from "./vitals.ts";

interface NewBook {
  readonly title: string;
}

const isNewBook = (value: unknown): value is NewBook =>
  typeof value === "object" && value !== null && typeof (value as Partial<NewBook>).title === "string";

const newBook: StandardSchema<NewBook> = {
  "~standard": {
    version: 1,
    vendor: "bench",
    validate: (value) =>
      isNewBook(value) ? { value } : { issues: [{ message: "must be a string", path: ["title"] }] },
  },
};

async function* pages(count: number): AsyncGenerator<string> {
  for (let page = 0; page < count; page++) {
    yield `page ${page} of ${process.pid}\n`;
    await pause(1);
  }
}

const { pid } = process;
const app = new App();
app.get("/books", () => ({ books: [{ id: 1, title: "Dune" }], total: 1, pid }));
app.get("/books/{id}", (request) => ({ id: toInt(request.params.id, "id"), title: "Dune", pid }));
app.post("/books", { body: newBook }, (request) =>
  Response.json({ ...request.input.body, id: 2, pid }, { status: 201 }),
);
app.get("/slow/{ms}", async (request) => {
  await pause(toInt(request.params.ms, "ms"), undefined, { signal: request.signal });
  return { pid };
});
app.get("/pages/{count}", (request) => Response.stream(pages(toInt(request.params.count, "count"))));
app.get("/vitals", () => readVitals());
await app.run();
