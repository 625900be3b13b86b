import { expect, test } from "@jest/globals";
import { openDatabase } from "./index.ts";

test("a transaction rejects with any value that its function throws", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const unreadable = Object.defineProperty(new Error("no"), "code", {
    get() {
      throw new Error("getter");
    },
  });
  const db = openDatabase({ url: "sqlite://:memory:" });
  for (const thrown of [proxy, unreadable, undefined, Symbol("s")]) {
    const transaction = db.transaction(async () => {
      throw thrown;
    });
    const isSame = await transaction.then(
      () => false,
      (error: unknown) => Object.is(error, thrown),
    );
    expect(isSame).toBe(true);
  }
  await db.close();
});
