import { JwtAuth } from "@framework/auth";
import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { AUTH_SECRET, templateApp } from "./template-app.test-kit.ts";

withServer("postgres", (server) => {
  withServer("redis", (redis) => {
    test("the full service runs on PostgreSQL and Redis, as compose.yaml starts it", async () => {
      await using database = await databaseInSchema(server);
      await using client = testClient(
        await templateApp({ DATABASE_URL: database.url, REDIS_URL: redis, LOG_LEVEL: "error" }),
      );
      const token = await new JwtAuth({ secret: AUTH_SECRET }).createToken({ sub: "ann", roles: ["editor"] });
      const headers = { authorization: `Bearer ${token}` };
      const added = await client.post("/notes", { json: { body: "water the plants" }, headers });
      expect(added.status).toBe(201);
      expect((await client.get("/notes")).json()).toEqual({ notes: [added.json()] });
      const removed = await client.delete(added.headers.get("location") ?? "", { headers });
      expect(removed.status).toBe(204);
      expect((await client.get("/health/ready")).status).toBe(200);
    });
  });
});
