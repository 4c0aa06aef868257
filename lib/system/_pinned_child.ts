/** Keeps its own thread to a processor, then all its threads to another: tells where they may run. */
import { listKernelFolder } from "./kernel_folder.ts";
import { readKernelFile } from "./proc.ts";
import { allowedProcessors, pinToProcessor, readProcessorTimes } from "./processor_time.ts";

const allowed = allowedProcessors();
const [first, last] = [allowed[0]!, allowed.at(-1)!];
pinToProcessor(first);
const thread = allowedProcessors();
pinToProcessor(last, Deno.pid);
const threads = listKernelFolder("/proc/self/task").map((id) =>
  /^Cpus_allowed_list:\s+(\S+)$/m.exec(readKernelFile(`/proc/self/task/${id}/status`))![1]
);
const refused = [readProcessorTimes().length, -1, 0.5, 5000].map((processor) => pinToProcessor(processor));
console.log(JSON.stringify({ first, last, thread, threads, refused }));
