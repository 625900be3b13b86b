import { App, dependency, Depends } from "@framework/core";
import { z } from "zod";
import { memoryBroker, messaging, topic } from "./index.ts";

const Book = z.object({ title: z.string(), pages: z.coerce.number() });
const books = topic("books", { "book.created": Book, "book.removed": z.object({ id: z.string() }) });
const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });

app.messaging.subscribe(books, { group: "search" }, (message) => {
  if (message.type === "book.created") {
    const pages: number = message.data.pages;
    return pages;
  }
  const id: string = message.data.id;
  return id;
});
app.messaging.subscribe("shelves", { group: "search", schema: Book }, ({ data }) => {
  const title: string = data.title;
  return title;
});
app.messaging.subscribe("plain", { group: "search" }, ({ data }) => {
  const anything: unknown = data;
  return anything;
});
app.messaging.subscribeBatch(
  books,
  { group: "index", batch: { size: 10 } },
  (messages) => new Map(messages.map(({ id }) => [id, "ack"] as const)),
);

const Shelf = dependency<{ add(title: string): void }>("shelf");
app.messaging.subscribe("shelves", { schema: Book }, async ({ data }, _context, shelf = Depends(Shelf)) => {
  shelf.add(data.title);
});
app.messaging.subscribe(
  books,
  { inject: { shelf: Shelf } },
  (_message, _context, { shelf }, other = Depends(Shelf)) => {
    shelf.add("Emma");
    other.add("Dune");
  },
);
app.messaging.subscribeBatch(books, { batch: { size: 2 } }, (messages, shelf = Depends(Shelf)) => {
  for (const { id } of messages) shelf.add(id);
  return new Map();
});
// @ts-expect-error nothing is injected
app.messaging.subscribe(books, {}, (_message, _context, { shelf }) => shelf);

await app.messaging.send(books, { type: "book.created", data: { title: "Emma", pages: "474" } });
await app.messaging.send("plain", { type: "any", data: 1 });
// @ts-expect-error the type is unknown to the topic
await app.messaging.send(books, { type: "book.lost", data: { id: "7" } });
// @ts-expect-error the data belongs to another type
await app.messaging.send(books, { type: "book.created", data: { id: "7" } });
app.messaging.subscribe("plain", {}, () => {}); // in the default group of its broker
const batchOptions = { group: "a", batch: { size: 10 } };
// @ts-expect-error only subscribeBatch has batches
app.messaging.subscribe("plain", batchOptions, () => {});
const inboxOptions = { ...batchOptions, dedupe: "inbox" } as const;
// @ts-expect-error a batch has no inbox
app.messaging.subscribeBatch("plain", inboxOptions, () => new Map());
// @ts-expect-error the option is misspelt
app.messaging.subscribe("plain", { group: "a", concurency: 3 }, () => {});

// A type error is reported at the wrong option, even for a topic with schemas.
app.messaging.subscribe(
  books,
  {
    group: "a",
    // @ts-expect-error the option is misspelt
    maxRetries: 3,
  },
  () => {},
);
app.messaging.subscribe(
  books,
  {
    group: "a",
    // @ts-expect-error the value is unknown
    ack: "nope",
  },
  () => {},
);
app.messaging.subscribe(
  books,
  {
    group: "a",
    // @ts-expect-error only subscribeBatch has batches
    batch: { size: 2 },
  },
  () => {},
);
app.messaging.subscribeBatch(
  books,
  { group: "a", batch: { size: 2 } },
  // @ts-expect-error verdicts are a map
  (messages) => messages.map(({ id }) => [id, "ack"] as const),
);
app.messaging.subscribe(books, { group: "a", schema: z.string() }, ({ data }) => {
  const text: string = data; // a subscription's schema replaces the topic's schema
  return text;
});
