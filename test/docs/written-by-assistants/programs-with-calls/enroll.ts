import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const { id } = await client.orders.create({ catalog_variant_id: 1, creator_id: 7, student_ids: [7] });
const { status } = await client.orders.approve(id);
const enrollments: number[] = [];
for await (const enrollment of client.enrollments.list({ student_id: 7 })) {
  if (enrollment.order_id === id) enrollments.push(enrollment.id);
}
console.log(JSON.stringify({ order: status, enrollments }));
