/** Name of the topic for a tier of delayed retries, from 0. */
export const retryTopic = (topic: string, group: string, tier: number): string =>
  `${topic}.${group}.retry.${tier}`;

/** The topic that a retry topic belongs to; any other topic itself. */
export const mainTopic = (topic: string, group: string): string => {
  if (!topic.includes(".retry.")) return topic; // most are: saves a text for each delivery
  const at = topic.lastIndexOf(`.${group}.retry.`);
  return at < 0 ? topic : topic.slice(0, at);
};
