/** What clients have done since the process began. */
export interface RedisMetrics {
  /** Commands that were asked for. */
  commands: number;
  /** Commands that Redis refused or did not answer. */
  failures: number;
  /** Connections that were made again after one was lost. */
  reconnects: number;
  /** Connections that are open now. */
  connections: number;
  /** Commands that wait for a connection now. */
  waiting: number;
}

export const newMetrics = (): RedisMetrics => ({
  commands: 0,
  failures: 0,
  reconnects: 0,
  connections: 0,
  waiting: 0,
});
