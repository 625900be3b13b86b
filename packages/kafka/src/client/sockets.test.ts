import { once } from "node:events";
import { expect, test } from "@jest/globals";
import type { ISocketFactoryArgs } from "kafkajs";
import { Sockets } from "./sockets.ts";

const target = { host: "127.0.0.1", port: 1, onConnect() {} } as unknown as ISocketFactoryArgs;

test("close immediately fails pending and later connections", async () => {
  const sockets = new Sockets();
  const connecting = sockets.create(target);
  sockets.close();
  const [error] = (await once(connecting, "error")) as [Error];
  expect(error.message).toBe("the client was closed");
  const later = sockets.create(target);
  const [again] = (await once(later, "error")) as [Error];
  expect(again.message).toBe("the client was closed");
});
