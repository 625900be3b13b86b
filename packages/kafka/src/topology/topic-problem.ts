/**
 * Returns why a topic cannot be used, `null` when it can. kafkajs keeps topics as members of plain objects: one named `__proto__` would change all objects of the
 * process, and `constructor` and the like are taken for topics that it knows.
 */
export const topicProblem = (topic: string): string | null =>
  Object.hasOwn(Object.prototype, topic)
    ? `the topic "${topic}" has the name of a member of every object, which kafkajs cannot use; choose another name`
    : null;
