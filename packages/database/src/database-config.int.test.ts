import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { DatabaseConfig, openDatabase, sql } from "./index.ts";

withServer("postgres", (server) => {
  test("DatabaseConfig.postgres encodes a database name with characters that have a meaning in URLs", async () => {
    const name = "shop+1@eu:50% a/b;c=d&e,f$";
    const { hostname: host, port, username, password } = new URL(server);
    const admin = openDatabase({ url: server });
    await admin.execute`DROP DATABASE IF EXISTS ${sql.identifier(name)}`;
    await admin.execute`CREATE DATABASE ${sql.identifier(name)}`;
    const parts = { host, port: Number(port), user: username, password, database: name };
    const db = openDatabase(DatabaseConfig.postgres(parts));
    expect(await db.fetchValue("SELECT current_database()")).toBe(name);
    await db.close();
    await admin.execute`DROP DATABASE ${sql.identifier(name)}`;
    await admin.close();
  });
});
