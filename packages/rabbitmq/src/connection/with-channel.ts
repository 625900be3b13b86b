import type { Channel } from "amqplib";
import type { Link } from "./link.ts";

/** Runs requests on a separate channel, because a refused request closes its channel. */
export const withChannel = async <T>(link: Link, work: (channel: Channel) => Promise<T>): Promise<T> => {
  const channel = await (await link.open()).createChannel();
  channel.on("error", () => {}); // the request rejects with the error
  let isOpen = true;
  channel.on("close", () => (isOpen = false));
  try {
    return await work(channel);
  } finally {
    if (isOpen) await channel.close().catch(() => {}); // fails if it was closed meanwhile
  }
};
