import { App } from "@framework/core";
import { type CacheStore, caching, memoryStore } from "./index.ts";

const app = new (App.with(caching))();

app
  .enableCaching()
  .enableCaching({ ttl: 60, methods: ["GET", "HEAD", "QUERY"], excludePaths: ["/admin"] })
  .get("/", () => "hello");

const dropped: Promise<number> = app.invalidateCache(["a"]);
const store: CacheStore = memoryStore({ maxEntries: 1 });
app.enableCaching({ store });
app.get("/books/{id}", { cache: { ttl: 5, tags: ["book:{id}"], shared: true } }, () => dropped);

// @ts-expect-error the method exists only if the feature is composed
new App().enableCaching();

// @ts-expect-error a misspelt option
app.enableCaching({ tll: 60 });

// @ts-expect-error only safe methods can be cached
app.enableCaching({ methods: ["POST"] });

// @ts-expect-error tags are a list
void app.invalidateCache("a");

app.get("/per", { cache: { per: (request) => request.getHeader("x-user"), clientTtlSecs: 5 } }, () => "x");
// @ts-expect-error an id is text or a number
app.get("/per-object", { cache: { per: () => ({ id: 1 }) } }, () => "x");
