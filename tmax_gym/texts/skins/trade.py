"""Skins of production and transport: data only, in the format of `skins._parse`."""

SKINS = """
wind-farm | wind farm | north, celt
orgs: Ostrel Wind, Kvalberg Offshore, Braemoor Energy, Skarv Ridge Power, Tarnfell Turbines,
 Havstrand Wind, Corrie Hill Renewables, Lysefjell Kraft
places: the north array, met mast 2, substation Alfa, Holm bank, the export cable landing, row C,
 the operations hut, the crew transfer quay
things: turbine, blade, nacelle, met mast, gearbox, yaw motor, service visit, outage, crew transfer
measures: wind speed m/s 0 32, rotor speed rpm 0 16, active power kW 0 8400, gearbox oil temperature
 C 12 78, pitch angle deg -2 90, yaw error deg -25 25, tower acceleration mg 0 180, grid frequency
 Hz 49.7 50.3
events: blade icing, curtailment, yaw fault, grid trip, pitch battery alarm, gearbox overheating,
 storm cut-out, hatch left open
stems: turbine_log, scada_export, power_curve, yaw_offsets, outage_register, mast_readings,
 service_visits, curtailment_orders
dirs: scada, turbines, masts, outages, curves, crew, inspections, grid
columns: turbine_id, array, fault_code, stop_reason, mast_id, technician, contract, feeder
codes: WTG, OST, MMT, SUB, BLD, GBX, CTV, FDR
jargon: SCADA, cut-in speed, wake loss, availability, capacity factor, pitch, nacelle, derating

hospital | hospital | desi, rhine
orgs: St. Brannock Hospital, Lindenhof Clinic, Kaveri General, Mercy Row Infirmary, Amstelzicht
 Hospital, Haldane Ward Trust, Cedar Bridge Medical Centre, Neelam Hospital
places: ward 4B, the day surgery, radiology, outpatient desk 2, intensive care, the pharmacy,
 pathology, bed management
things: patient, admission, bed, prescription, ward, sample, referral, discharge letter, shift,
 infusion pump
measures: heart rate bpm 38 180, body temperature C 34.8 41.2, oxygen saturation % 82 100, systolic
 pressure mmHg 84 210, waiting time min 1 420, length of stay h 4 620, glucose mmol/L 2.4 22,
 infusion rate mL/h 0.5 250
events: admission, transfer, discharge, failed handover, late lab result, bed closure, duplicate
 order, missed dose
stems: admissions, bed_board, ward_transfers, lab_results, triage_queue, pharmacy_orders,
 theatre_list, discharge_summary
dirs: wards, triage, labs, pharmacy, theatre, rota, referrals, archive
columns: patient_ref, ward, consultant, priority, bed, order_id, specimen, payer
codes: ADM, PAT, LAB, WRD, RX, TRI, BED, ORD
jargon: triage, length of stay, handover, formulary, specimen, step-down, census, on-call

brewery | brewery | rhine, slav
orgs: Alter Speicher Brewing, Three Tuns Works, Zlata Hora Brewery, Copperline Ales, Kellerhof
 Brauerei, Millrace Beer Company, Oak and Adder, Seven Kettles
places: the brewhouse, cellar 3, the bottling line, the cold store, tank row B, the malt loft, the
 taproom, loading bay 1
things: batch, fermenter, keg, yeast pitch/yeast pitches, mash, pallet, recipe, tank, tasting note,
 hop delivery
measures: original gravity P 8 19, final gravity P 1.2 5.5, mash temperature C 48 78, pH - 3.9 5.8,
 bitterness IBU 5 95, tank pressure bar 0.2 2.8, brew length hL 8 240, fill height mm 190 215
events: stuck mash, dry hopping, racking, tank cleaning, diacetyl rest, keg return, label change,
 foam-over
stems: batch_sheet, fermentation_log, keg_ledger, hop_stock, tank_status, recipe_book,
 tasting_panel, bottling_run
dirs: batches, cellar, recipes, kegs, malt, quality, tasting, dispatch
columns: batch_no, tank, beer, yeast_strain, brewer, keg_id, hop_lot, outlet
codes: BAT, FV, KEG, HOP, MLT, TNK, SKU, BRW
jargon: wort, sparge, trub, flocculation, attenuation, pitch rate, lauter, krausen

shipping-line | shipping line | levant, sahel
orgs: Meridian Liner Services, Qamar Shipping, Blue Anvil Lines, Sankofa Maritime, Orontes Cargo,
 Long Reach Containers, Palmgrove Feeder, Halcyon Box Line
places: berth 7, yard block D, the Suez desk, gate 2, the reefer stack, bay 34, the planning room,
 the empty depot
things: container, vessel, voyage, booking, bill of lading/bills of lading, berth, reefer, manifest,
 seal, transhipment
measures: gross weight t 2.2 30.5, draught m 5.4 15.8, reefer set point C -30 14, speed kn 6 23,
 bunker on board t 80 4200, stack height - 1 9, dwell time h 3 620, lashing load kN 20 220
events: rollover, late gate-in, seal mismatch, port omission, reefer alarm, customs hold, vessel
 bunching, short shipment
stems: stowage_plan, manifest, bookings, gate_moves, reefer_log, bunker_report, berth_window,
 demurrage
dirs: voyages, manifests, bookings, yard, reefers, customs, bunkers, gate
columns: container_no, voyage, port_of_loading, port_of_discharge, seal_no, shipper, bay_row_tier,
 iso_type
codes: MLSU, QMRU, VOY, BKG, BOL, SEA, YRD, CUS
jargon: TEU, demurrage, laycan, stowage, transhipment, reefer, free time, cut-off

railway | railway | gaul, rhine
orgs: Val d'Ombre Railway, Norderland Rail, Chemin du Plateau, Ravelin Freight, Upper Lys Lines,
 Ostermark Regional, Compagnie du Viaduc, Grand Ballast Railway
places: platform 9, Lys junction, the south throat, depot road 4, signal box B, the marshalling
 yard, control desk 3, kilometre 48
things: train, trainset, platform, signal, headway, driver duty/driver duties, points machine,
 possession, wagon, timetable path
measures: delay min 0 190, axle load t 4 22.5, line speed km/h 20 200, catenary voltage kV 12 17,
 brake pressure bar 2.8 5.4, headway s 90 1200, wheel temperature C 5 140, load factor % 2 135
events: late departure, platform change, signal failure, hot axle alarm, coupling, cancelled
 service, wrong routing, points failure
stems: timetable, delay_log, trainset_roster, signal_events, possession_plan, wagon_list,
 platform_changes, duty_sheet
dirs: timetables, depot, signals, rosters, wagons, delays, possessions, stations
columns: train_no, station_code, platform, trainset, delay_code, driver, line, direction
codes: TRN, RU, SIG, WGN, DEP, PTH, DTY, OCP
jargon: headway, possession, rolling stock, dwell, turnback, interlocking, consist, path

dairy-farm | dairy farm | celt, gaul
orgs: Trevorrow Dairy, Ferme des Aulnes, Glenbuck Herd, Cwm Isaf Farm, Moorlands Milk, La Prairie
 Haute, Ballyorney Dairies, Three Becks Farm
places: the parlour, the east paddock, the calf shed, the bulk tank room, the lower meadow, silage
 clamp 2, the collecting yard, field 11
things: cow, milking, calf/calves, bulk tank, paddock, collar, feed ration, heifer, vet visit, milk
 collection
measures: milk yield L 2 62, fat content % 3.1 5.4, cell count k/mL 20 900, rumination min/day 180
 620, tank temperature C 2.5 9, conductivity mS/cm 3.8 8.2, feed intake kg 6 29, body weight kg 420
 790
events: calving, mastitis alert, dry-off, missed milking, hoof trimming, tank wash, heat detection,
 collar swap
stems: milkings, herd_register, calving_list, tank_readings, feed_rations, collar_data,
 vet_treatments, milk_collections
dirs: herd, parlour, calves, feed, tanks, collars, vet, pasture
columns: ear_tag, lactation, paddock, stall, breed, collar_id, treatment, collection_round
codes: COW, TAG, MLK, PDK, CLR, CLF, BTK, VET
jargon: dry-off, lactation, somatic cells, freshening, parity, ration, heat, transponder

vineyard | vineyard | gaul, iberia
orgs: Domaine Vauclaire, Quinta da Lousa, Clos Saint-Évrard, Bodega Sierra Parda, Mas de l'Olivette,
 Château Fontbrune, Viña Almorada, Coteaux d'Arzelle
places: parcel 14, the south slope, the barrel hall, the vat room, the sorting table, the lower
 terrace, the bottle cellar, the press house
things: parcel, barrel, vintage, picker, cuvée, vine row, press load, blend, tasting, bottle lot
measures: sugar content Brix 14 28, must pH - 2.9 3.9, barrel temperature C 9 24, yield hL/ha 18 72,
 free sulphite mg/L 4 60, leaf wetness h 0 24, volatile acidity g/L 0.1 0.9, slope deg 0 38
events: bud break, hail, green harvest, racking, topping up, bottling, stuck fermentation, blending
stems: harvest_log, barrel_book, parcel_map, press_loads, cuvee_blends, sulphite_checks,
 weather_station, bottling_lots
dirs: parcels, barrels, harvest, cuvees, lab, pickers, bottling, weather
columns: parcel, grape, barrel_no, cooper, vintage, rootstock, picker_team, lot
codes: PRC, BRL, CUV, LOT, VAT, PRS, TST, RAN
jargon: veraison, must, racking, cuvée, lees, chaptalisation, rootstock, terroir

airline | airline | iberia, andes
orgs: Aerocosta, Cóndor Sur Airways, Linha Azul, Altavela Air, Pampero Express, Ventoleste, Sierra
 Clara Aviation, Puente Aéreo Norte
places: gate B14, hangar 2, the crew room, stand 31, the load control desk, the apron east, baggage
 belt 5, the dispatch office
things: flight, crew pairing, aircraft, boarding pass, gate, bag, flight plan, rotation, standby
 crew, deferred defect
measures: block time min 38 720, fuel uplift kg 900 64000, load factor % 21 100, turnaround min 25
 140, take-off weight t 38 240, cabin altitude ft 0 8000, crosswind kn 0 34, baggage weight kg 2 32
events: diversion, gate change, missed connection, crew swap, bird strike, de-icing, late bag, slot
 delay
stems: flight_schedule, crew_pairings, load_sheets, baggage_scan, tech_log, fuel_uplift, slot_list,
 rebooking
dirs: flights, crew, loadsheets, baggage, maintenance, slots, fuel, gates
columns: flight_no, tail, origin, destination, pairing_id, gate, bag_tag, delay_code
codes: AZC, CDS, BAG, PNR, STD, ROT, MEL, SLT
jargon: block time, pairing, NOTAM, MEL item, turnaround, codeshare, deadhead, ACARS

bakery | bakery | gaul, levant
orgs: Maison Tillier, Crumb and Kiln, Four Banal, Simsim Bakehouse, Boulangerie du Quai, Rye Street
 Bakers, Ovenbird, Al-Furn Bread Company
places: oven 2, the proving room, the flour store, the counter, the night shift bench, the delivery
 bay, the pastry corner, the cold room
things: loaf/loaves, dough batch, oven, order, delivery round, starter, tray, recipe card, standing
 order, flour sack
measures: dough temperature C 20 29, hydration % 55 92, proving time min 30 980, bake loss % 7 17,
 oven temperature C 165 290, loaf weight g 240 2100, flour on hand kg 12 1800, crumb pH - 3.6 5.9
events: over-proving, late delivery, starter feeding, oven fault, recipe change, cancelled order,
 flour delivery, short bake
stems: bake_plan, dough_sheet, standing_orders, delivery_rounds, flour_stock, oven_trace, returns,
 recipe_cards
dirs: bakes, orders, rounds, recipes, ovens, stock, returns, shifts
columns: recipe, batch_no, oven, customer, round, shift, flour_type, weekday
codes: BK, DGH, OVN, RND, FLR, ORD, STA, TRY
jargon: autolyse, poolish, bulk proof, crumb, scaling, retarding, levain, baker's percentage

print-shop | print shop | rhine, nippon
orgs: Letterhoek Press, Blockwerk Druck, Kamiya Printing, Offset Lane, Stamperij Noord, Inkwell
 Works, Folio and Sons, Hinode Graphics
places: press 3, the plate room, the bindery, the proofing desk, the paper store, the guillotine,
 the folding table, the dispatch shelf
things: print job, plate, press run, proof, paper reel, ink drum, signature, imposition, quote,
 finishing step
measures: ink density D 0.9 1.9, dot gain % 8 26, press speed sheets/h 2500 17000, web tension N 90
 620, paper weight gsm 52 350, waste sheets - 0 900, register error um -120 120, humidity % 35 65
events: plate remake, web break, colour shift, job split, reprint, proof rejection, jam, ink change
stems: job_tickets, press_log, plate_list, density_readings, paper_stock, proof_rounds, quotes,
 finishing_queue
dirs: jobs, plates, proofs, press, bindery, paper, quotes, profiles
columns: job_no, press, stock, plate_id, operator, ink, finish, client_ref
codes: JOB, PLT, PRF, REEL, INK, BND, QTE, PRS
jargon: imposition, make-ready, trapping, gang run, signature, bleed, dot gain, RIP

ferry-port | ferry port | north, rhine | held out
orgs: Sundhavn Port, Vesteroy Ferries, Oosterkade Terminal, Langholm Crossing, Brevik Roro, Zeegat
 Passage, Skjold Line, Marsh Island Ferries
places: linkspan 2, lane 6, the foot passenger hall, berth A, ticket booth 4, the marshalling area,
 the bow door, the control tower
things: crossing, vehicle, booking, lane, linkspan, passenger, check-in, coach, trailer, sailing
measures: deck load t 40 2900, wave height m 0 4.6, crossing time min 25 410, tide level m -1.4 5.2,
 vehicle length m 1.8 25, lane metres used m 0 1900, queue length - 0 260, mooring load kN 30 480
events: cancelled sailing, late check-in, overheight vehicle, lane overflow, bow door fault, fog
 delay, no-show, berth swap
stems: sailings, lane_plan, check_ins, vehicle_heights, tide_table, deck_loading, foot_passengers,
 berth_roster
dirs: sailings, lanes, bookings, tides, decks, manifests, berths, tickets
columns: sailing_id, lane, plate, vessel, booking_ref, vehicle_class, route, berth
codes: SAI, LNE, FRY, BKG, LSP, RTE, TKT, DCK
jargon: linkspan, ro-ro, lane metre, turnround, ramp angle, deadweight, ETD, walk-on

solar-plant | solar plant | andes, sahel
orgs: Altiplano Solar, Sol de Tarapaca, Harmattan Power, Ifriqa Sun Works, Campo Claro, Nuru Fields,
 Desierto Norte Energy, Kilima Photovoltaics
places: block 12, inverter station 3, the east field, tracker row 40, the weather post, the
 switchyard, string box 7, the control container
things: inverter, string, tracker, module, combiner box/combiner boxes, cleaning round, pyranometer,
 fuse, alarm, transformer
measures: irradiance W/m2 0 1240, string current A 0 12.5, module temperature C -4 74, DC voltage V
 480 1080, tracker angle deg -55 55, inverter efficiency % 88 99, soiling loss % 0 19, active power
 kW 0 2500
events: string outage, tracker stall, ground fault, soiling, curtailment, fuse blow, inverter
 restart, sandstorm
stems: inverter_yield, string_currents, tracker_angles, irradiance, soiling_rounds, alarm_list,
 fuse_log, plant_meter
dirs: inverters, strings, trackers, meteo, alarms, cleaning, meters, thermal
columns: inverter_id, string_no, block, alarm_code, tracker, crew, module_type, phase
codes: INV, STR, TRK, CMB, PYR, ALM, TFR, BLK
jargon: string, performance ratio, MPPT, soiling, clipping, backtracking, albedo, ground fault
"""
"""Blocks separated by one empty line."""
