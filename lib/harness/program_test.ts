import { assertEquals } from "@std/assert";

if (Deno.build.os === "linux") {
  Deno.test("a program that is not started for want of file descriptors is refused with a remedy", async () => {
    const { pathname } = new URL("_starved_child.ts", import.meta.url);
    const script = 'ulimit -n 64 && exec deno run --quiet --no-prompt --allow-read --allow-run=deno "$0"';
    const { code, stdout, stderr } = await new Deno.Command("unshare", {
      args: ["sh", "-c", script, pathname],
      stdin: "null",
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    assertEquals(JSON.parse(new TextDecoder().decode(stdout)), {
      type: "refused",
      status: 3,
      message: "Cannot start a process of the lab as this one has no file descriptors left for its pipes",
      remedy: "Raise the hard limit of file descriptors (ulimit -Hn), or close what holds them",
    });
  });
}
