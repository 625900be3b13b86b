import { withServer } from "@framework/services";
import { afterAll, expect, test } from "@jest/globals";
import { leasesAndLanes } from "./leases-and-lanes.test-kit.ts";
import { acquireFree, Processes } from "./processes.test-kit.ts";
import { postgresSchemas } from "./testing/open-databases.test-kit.ts";

const onServer = (url: string): void => {
  const databases = postgresSchemas(url);
  afterAll(async () => {
    await databases[Symbol.asyncDispose]();
  });
  leasesAndLanes(test, databases);

  test("transactions that check one lease do not wait for each other, and a renewal does not wait for them", async () => {
    await using database = await databases();
    const processes = await Processes.on(database);
    await using owner = await processes.start();
    const lease = await acquireFree(owner, "rebuild", "shelf");
    await owner.db.transaction(async (tx) => {
      await lease.check(tx);
      await owner.db.transaction((second) => lease.check(second));
      const { changes } = await owner.db.execute`UPDATE framework_leases SET lease_until = lease_until + 1`;
      expect(changes).toBe(1);
    });
  });
};

withServer("postgres", onServer);
withServer("postgres-newest", onServer);
