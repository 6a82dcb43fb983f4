// A worker in TypeScript for Node 18 or later. The protocol and the variables: docs/workers.md.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
type Json = Record<string, any>;
const { CALLBOARD_URL = "http://127.0.0.1:8080", WORKER_ID = `node-${process.pid}`, QUEUE = "default", JOB_TYPES } = process.env;
const leaseS = Number(process.env.LEASE_S ?? 60), idleS = Number(process.env.IDLE_EXIT_S ?? 0);
const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop.abort());

/** Your work: returns results; throws for a failure. What is in `note` goes out with the heartbeats. */
async function work(job: Json, note: Json, gone: AbortSignal): Promise<Json> {
  const seconds = job.data.seconds ?? 0;
  for (let done = job.checkpoint?.done ?? 0; done < seconds; done += 0.2) {
    Object.assign(note, { progress: done / seconds, checkpoint: { done } });
    await sleep(200, undefined, { signal: gone });
  }
  if (job.attempts < (job.data.failures ?? 0)) throw new Error("not this time");
  return { slept: seconds };
}

/** Status and answer, asking under one key until somebody decides. */
async function post(path: string, body: Json): Promise<[number, Json]> {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": randomUUID() };
  for (;;) {
    let status = 503, answer: Json = {}, wait = 1;
    try {
      const said = await fetch(`${CALLBOARD_URL}/api/work/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      [answer, wait, status] = [(await said.json()) as Json, Number(said.headers.get("Retry-After") ?? 1), said.status];
    } catch { /* nobody there, or gone before a whole answer */ }
    const undecided = status === 429 || status === 503 || answer.error?.code === "IN_PROGRESS";
    if (!undecided || stop.signal.aborted) return [status, answer];
    await sleep(wait * 1000, undefined, { signal: stop.signal }).catch(() => {});
  }
}

async function run(job: Json) {
  const path = `jobs/${encodeURIComponent(job.id)}/`, lease_token = job.lease_token, note: Json = {};
  const hands = new AbortController(), letGo = () => hands.abort(); // lost, cancelled or told to stop
  stop.signal.aborted ? letGo() : stop.signal.addEventListener("abort", letGo);
  const beat = setInterval(async () => {
    const [status, answer] = await post(path + "heartbeat", { lease_token, ...note });
    if (status !== 200 || answer.cancel_requested) letGo();
  }, (leaseS * 1000) / 3);
  const [verb, more]: [string, Json] = await work(job, note, hands.signal).then(
    (results): [string, Json] => ["complete", { results }],
    (error): [string, Json] => (hands.signal.aborted ? ["release", {}] : ["fail", { error: String(error.message) }]));
  clearInterval(beat);
  stop.signal.removeEventListener("abort", letGo);
  console.log(job.id, verb, (await post(path + verb, { lease_token, ...more }))[0]);
}

const claim = { worker_id: WORKER_ID, queue: QUEUE, lease_s: leaseS, wait_s: Math.min(idleS || 20, 20), job_types: JOB_TYPES?.split(",") };
for (let idle = false; !idle && !stop.signal.aborted; ) {
  const [status, answer] = await post("claim", claim);
  for (const job of answer.jobs ?? []) await run(job);
  if (status !== 200) await sleep(1000, undefined, { signal: stop.signal }).catch(() => {});
  idle = status === 200 && answer.jobs.length === 0 && idleS > 0;
}
