import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { startBooks } from "./start-books.test-kit.ts";

withServer("redis", (url) => {
  test("a host with two workers and a host with one process never serve a list older than the last acknowledged change", async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "books-"));
    const env = {
      DATABASE_URL: `sqlite://${join(folder.path, "books.db")}`,
      BOOKS_DATABASE_SECS: "120", // a busy disk may take seconds for a commit
      REDIS_URL: url,
      BOOKS_LOG: "error",
    };
    const starting = [startBooks(env, ["--workers", "2"]), startBooks(env)] as const;
    await using first = await starting[0];
    await using second = await starting[1];
    for (let n = 1; n <= 10; n++) {
      const writer = n % 2 === 0 ? first : second;
      const added = await fetch(`${writer.url}/books`, {
        method: "POST",
        headers: { "content-type": "application/json", connection: "close" },
        body: JSON.stringify({ title: `T${n}` }),
      });
      expect(await added.json()).toMatchObject({ id: n });
      const urls = [first.url, second.url].flatMap((host) =>
        Array.from({ length: 4 }, () => `${host}/books`),
      );
      const reads = await Promise.all(urls.map((each) => fetch(each, { headers: { connection: "close" } })));
      const bodies = await Promise.all(reads.map((read) => read.json()));
      const expected = urls.map(() => expect.objectContaining({ total: n }));
      expect({ bodies, output: first.output() + second.output() }).toEqual({
        bodies: expected,
        output: expect.any(String), // shown when a list is not as expected
      });
    }
  });
});
