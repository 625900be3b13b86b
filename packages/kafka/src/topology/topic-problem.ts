/**
 * Returns why a topic cannot be used; `null` if it can. kafkajs keeps topics as properties of plain objects: `__proto__` would modify the prototype of all objects,
 * and `constructor` would seem to be a known topic.
 */
export const topicProblem = (topic: string): string | null =>
  Object.hasOwn(Object.prototype, topic)
    ? `the topic "${topic}" has the name of a property of every object, which kafkajs cannot use; choose another name`
    : null;
