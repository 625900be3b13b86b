import { withServer } from "@framework/services";
import { test } from "@jest/globals";
import { postgresSchema } from "../testing/open-databases.test-kit.ts";
import { parkedInOrder } from "./parked-in-order.test-kit.ts";

withServer("postgres", (url) => parkedInOrder(test, () => postgresSchema(url)));
