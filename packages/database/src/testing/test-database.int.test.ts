import { withServer } from "@framework/services";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { openDatabase } from "../index.ts";
import { databaseInSchema } from "../testing.ts";

withServer("postgres", (server) => {
  test("the URL of a database in a schema keeps the options of the server's URL", async () => {
    const url = new URL(server);
    url.searchParams.set("options", "-c application_name=mine");
    await using schema = await databaseInSchema(url.href);
    const db = openDatabase({ url: schema.url });
    expect(await db.fetchValue("SHOW application_name")).toBe("mine");
    expect(await db.fetchValue("SELECT current_schema()")).toMatch(/^test_/);
    await db.close();
  });

  test("no connection stays open when a schema cannot be created", async () => {
    const admin = openDatabase({ url: server });
    await admin.execute("DROP ROLE IF EXISTS schemaless");
    await admin.execute("CREATE ROLE schemaless LOGIN PASSWORD 'x'");
    const url = new URL(server);
    [url.username, url.password] = ["schemaless", "x"];
    await expect(databaseInSchema(url.href)).rejects.toThrow("permission denied");
    const open = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'schemaless'";
    await waitFor(async () => (await admin.fetchValue(open)) === 0);
    await admin.execute("DROP ROLE schemaless");
    await admin.close();
  });
});
