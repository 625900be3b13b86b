import { withServer } from "@framework/services";
import { afterAll, test } from "@jest/globals";
import { postgresSchemas } from "../testing/open-databases.test-kit.ts";
import { parkedInOrder } from "./parked-in-order.test-kit.ts";

withServer("postgres", (url) => {
  const databases = postgresSchemas(url);
  afterAll(async () => {
    await databases[Symbol.asyncDispose]();
  });
  parkedInOrder(test, databases);
});
