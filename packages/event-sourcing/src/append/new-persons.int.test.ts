import type { StandardSchema } from "@framework/core";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { postgresFixture } from "../contract/open-fixture.test-kit.ts";
import { eventsOf } from "../contract/store-fixture.ts";
import { eventType } from "../index.ts";

interface Person {
  readonly id: string;
  readonly name: string;
  readonly isLast: boolean;
}

/** An event type with personal data. The last event of each transaction is validated only when both transactions have validated their first one. */
const registered = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  const schema: StandardSchema<Person> = {
    "~standard": {
      version: 1,
      vendor: "test",
      async validate(value) {
        const person = value as Person;
        if (person.isLast && ++waiting === 2) resolve();
        if (person.isLast) await promise;
        return { value: person };
      },
    },
  };
  return eventType("Registered", schema, { personal: { subject: ({ id }) => id, fields: ["name"] } });
};

withServer("postgres", (server) => {
  test("transactions that append events of the same new persons in opposite order do not deadlock", async () => {
    await using fixture = await postgresFixture(server);
    const Registered = registered();
    const store = await fixture.open({ events: [Registered] });
    const append = (streams: readonly string[], ids: readonly string[]) =>
      fixture.db.transaction(
        (tx) =>
          store.appendMany(
            ids.map((id, at) => ({
              stream: streams[at] ?? "",
              events: Registered({ id, name: `name of ${id}`, isLast: at === 1 }),
            })),
            { tx },
          ),
        { retries: 0 },
      );
    await Promise.all([append(["a-1", "b-1"], ["p1", "p2"]), append(["c-1", "d-1"], ["p2", "p1"])]);
    const names = async (stream: string): Promise<unknown> =>
      (await eventsOf(store, stream)).map(({ data }) => (data as Person).name);
    expect(await Promise.all(["a-1", "b-1", "c-1", "d-1"].map(names))).toEqual([
      ["name of p1"],
      ["name of p2"],
      ["name of p2"],
      ["name of p1"],
    ]);
  }, 120_000);
});
