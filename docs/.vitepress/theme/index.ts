// The default theme without its web fonts, which are larger than a page.
import DefaultTheme from "vitepress/theme-without-fonts";
import "../../../scripts/run-in-page/run.css";
import "./style.css";

// biome-ignore lint/style/noDefaultExport: VitePress reads the default export.
export default DefaultTheme;
