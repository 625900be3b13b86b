import { overHttp2, type TestServer, turn } from "@framework/conformance";
import { expect } from "@jest/globals";
import type { FrameClient } from "./raw-frames.test-kit.ts";

/** Sends bytes repeatedly until the server closes the connection. @returns number of bytes sent */
export const flood = async (
  client: FrameClient,
  { clock }: TestServer,
  next: () => Buffer,
): Promise<number> => {
  let sent = 0;
  for (let rounds = 0; !client.closed && rounds < 400; rounds++) {
    const bytes = Buffer.concat(Array.from({ length: 500 }, next));
    sent += bytes.length;
    client.send(bytes);
    await turn(4);
    if (rounds % 50 === 49) await clock.advance(1000); // the sweep
  }
  await client.untilClosed();
  return sent;
};

/** Asserts that another client is served during or after a flood. */
export const expectService = async ({ port }: TestServer): Promise<void> => {
  const client = overHttp2(port);
  expect((await client.send({ path: "/well" })).status).toBe(200);
  client.destroy();
};
