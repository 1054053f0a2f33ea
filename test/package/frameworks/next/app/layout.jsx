// biome-ignore lint/style/noDefaultExport: Next takes pages and layouts so.
export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
