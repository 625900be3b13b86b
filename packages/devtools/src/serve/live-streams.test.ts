import { expect, test } from "@jest/globals";
import { LiveStreams } from "./live-streams.ts";

test("a page that reads too slowly misses the oldest events, but never its first one", async () => {
  const streams = new LiveStreams();
  const kept = Array.from({ length: 1000 }, (_, at) => ({ data: `kept ${at}` }));
  const stream = streams.add([{ event: "hello", data: "facts" }, ...kept], () => {});
  for (let at = 0; at < 1500; at++) streams.send({ data: at });
  const first = await stream?.next();
  const second = await stream?.next();
  expect([first?.value, second?.value]).toEqual([{ event: "hello", data: "facts" }, { data: 500 }]);
  streams.close();
});
