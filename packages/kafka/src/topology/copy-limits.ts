import type { Topology } from "@framework/messaging/adapter";
import type { AdminClient } from "../client/admin-client.ts";

/** The limit of a topic on its batches of messages. */
export const MAX_BYTES = "max.message.bytes";

/** Bytes by which a copy of a message may be larger: the headers of dead letters and delayed tries. */
const ROOM = 65_536;
const MAX_INT = 2_147_483_647;

/** What the driver calls a topic in requests for configurations. */
const TOPIC_RESOURCE = 2;

/** The topics whose messages get copies, by the topic of the copies: one of delayed tries or dead letters. */
export const sourcesOfCopies = ({ subscriptions }: Topology): ReadonlyMap<string, readonly string[]> => {
  const sources = new Map<string, string[]>();
  for (const { topics, deadLetterTopic, retryTopics } of subscriptions) {
    const copies = retryTopics.map(({ topic }) => topic);
    if (deadLetterTopic !== null) copies.push(deadLetterTopic);
    for (const copy of copies) sources.set(copy, [...(sources.get(copy) ?? []), ...topics]);
  }
  return sources;
};

/** Returns a limit that the copies of all messages of some topics fit in, not below the server's own; `null` when none of them can be asked for its own. */
export const copyLimit = async (
  admin: Pick<AdminClient, "use">,
  sources: readonly string[],
): Promise<number | null> => {
  const found = await Promise.all(sources.map((topic) => limitOf(admin, topic)));
  const most = Math.max(...found.map((limit) => limit ?? 0));
  return most > 0 ? Math.min(most, MAX_INT) : null;
};

/**
 * Returns the limit for copies of one topic: its own with the room, or the server's, which the topic would have by itself and others that share it may need. Limits
 * need a permission that creating topics does not: without it they are unknown.
 */
const limitOf = (admin: Pick<AdminClient, "use">, topic: string): Promise<number | null> =>
  admin.use(async (open) => {
    const resources = [{ type: TOPIC_RESOURCE, name: topic, configNames: [MAX_BYTES] }];
    const described = await open.describeConfigs({ resources, includeSynonyms: true }).catch(() => null);
    const entry = described?.resources[0]?.configEntries.find(({ configName }) => configName === MAX_BYTES);
    const own = Number(entry?.configValue);
    if (!(own > 0)) return null;
    const defaults = (entry?.configSynonyms ?? []).map(({ configValue }) => Number(configValue) || 0);
    return Math.max(own + ROOM, ...defaults);
  });
