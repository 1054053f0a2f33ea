import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const { id } = await client.meetings.create({
  planned_course_id: 1,
  name: "Day one",
  start_date_time: "2030-09-02T08:00:00.000Z",
  end_date_time: "2030-09-02T15:00:00.000Z",
  meeting_location_id: 1,
});
console.log(JSON.stringify({ id }));
