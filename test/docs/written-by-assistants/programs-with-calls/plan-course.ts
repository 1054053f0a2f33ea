import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const { id } = await client.plannedCourses.create({
  course_id: 1,
  type: "FixedPlannedCourse",
  start_date: "2030-09-02",
  end_date: "2030-09-06",
  cost: 450.5,
  max_participants: 12,
});
console.log(JSON.stringify({ id }));
