import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";

// biome-ignore lint/style/noDefaultExport: Vite takes its configuration so.
export default { plugins: [sveltekit({ adapter: adapter() })] };
