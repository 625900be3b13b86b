import { expect, test } from "@jest/globals";
import { startProgram } from "@framework/testing";
import { join } from "node:path";

const main = join(import.meta.dirname, "main.ts");

test("the program serves the books and stops cleanly", async () => {
  await using program = await startProgram(main, { conditions: ["@framework/source"] });
  expect((await program.client.get("/books")).json()).toEqual({ books: [], total: 0 });
  expect(await program.stop()).toEqual({ code: 0, signal: null });
});

test("more than one worker is refused while books live in memory", async () => {
  const start = startProgram(main, { conditions: ["@framework/source"], args: ["--workers", "2"] });
  await expect(start).rejects.toThrow("books are kept in memory");
});
