"""Skins of utilities, services and light industry: data only, in the format of `skins._parse`."""

SKINS = """
insurer | insurer | rhine, desi
orgs: Aldgate Mutual, Veritas Onderling, Banyan Assurance, Stone Arch Insurance, Rheingold
 Versicherung, Coracle Cover, Peepal Life, Harbinger Mutual
places: claims desk 3, the motor team, the Utrecht office, underwriting, the recoveries unit, the
 broker portal, field team west, the mailroom
things: claim, policy, broker, premium, renewal, adjuster visit, excess, endorsement, payout, risk
 score
measures: claim amount EUR 40 480000, premium EUR 12 9200, excess EUR 0 5000, settlement time days 1
 720, loss ratio % 4 180, risk score - 0 100, reserve EUR 0 350000, vehicle age years 0 28
events: late notification, reopened claim, lapsed policy, duplicate payout, renewal, fraud flag,
 subrogation, mid-term change
stems: claims, policy_register, renewals, premium_ledger, broker_statements, adjuster_visits,
 reserves, payouts
dirs: claims, policies, brokers, ledger, reserves, renewals, fraud, letters
columns: claim_no, policy_no, peril, broker, adjuster, product, status, postcode
codes: CLM, POL, BRK, REN, PAY, ADJ, END, RSV
jargon: excess, loss ratio, subrogation, bordereau, endorsement, reinsurance, no-claims,
 underwriting

telecom | telecom | sahel, slav
orgs: Palmnet Mobile, Kopernik Telekom, Longwave Networks, Sahara Link, Morse Street Telecom, Vlna
 Mobile, Twin Mast, Acacia Cellular
places: cell site 88, exchange 3, the NOC, fibre hut 12, the billing floor, the core room, ring
 segment C, roof mast 5
things: call, cell, subscriber, SIM swap, roaming record, tariff, tower, ticket, fibre span, number
 range
measures: signal strength dBm -121 -48, call duration s 1 7200, data volume MB 0.02 9400, latency ms
 4 390, packet loss % 0 18, span attenuation dB 0.8 31, tower temperature C -12 58, handover count -
 0 44
events: dropped call, cell outage, SIM swap, roaming start, tariff change, fibre cut, porting
 request, congestion
stems: call_records, cell_list, roaming_feed, tariff_table, tower_alarms, fibre_spans,
 port_requests, subscriber_moves
dirs: cdr, cells, roaming, tariffs, alarms, fibre, porting, billing
columns: msisdn_hash, cell_id, tariff, direction, operator, imei_prefix, alarm_class, span
codes: CEL, SIM, TWR, FIB, TKT, CDR, EXC, RNG
jargon: CDR, handover, backhaul, number porting, interconnect, MSISDN, sector, roaming

water-utility | water utility | andes, gaul
orgs: Aguas del Valle Alto, Eaux de la Combe, Río Claro Water, Source Vive, Embalse Sur, Régie des
 Puits, Canal Antiguo, Clearwell Services
places: reservoir 2, pumping station Sur, the treatment hall, zone 14, valve chamber 61, the intake
 tower, the lab sink, Clearwell control
things: meter, pump, reservoir, leak report, valve, district zone, water sample, main, burst,
 chlorine dose
measures: flow m3/h 0 2400, pressure bar 0.4 11, turbidity NTU 0.05 14, residual chlorine mg/L 0.05
 1.9, reservoir level m 0.6 12, pump power kW 2 480, meter reading m3 0 98000, night flow m3/h 0.5
 120
events: main burst, pump trip, low residual, meter reset, valve closure, flushing, boil notice,
 pressure surge
stems: meter_readings, pump_log, zone_flows, leak_reports, water_samples, valve_register,
 reservoir_levels, pressure_points
dirs: meters, pumps, zones, samples, leaks, valves, reservoirs, telemetry
columns: meter_id, zone, pump_id, main_no, material, sampler, valve, crew
codes: MTR, PMP, DMA, VLV, RSV, LEK, SMP, MN
jargon: DMA, non-revenue water, residual, turbidity, head loss, backwash, SCADA, night flow

city-parking | city parking | iberia, rhine
orgs: ParkRaum Süd, Aparca Centro, Stadhuis Parking, Plaza Mayor Garages, Kerbside Services,
 Parkeerbuur, Calle Ancha Parking, Blue Zone Office
places: garage P4, barrier 2, zone C, level -3, the pay station row, the market square, the permit
 office, the ramp east
things: permit, ticket, bay, barrier, pay station, fine, camera read, zone, resident, garage
measures: stay min 2 2880, fee EUR 0.3 64, occupancy % 0 100, barrier cycle time s 2 19, fine amount
 EUR 15 220, read confidence % 31 100, battery level % 4 100, bay width cm 210 390
events: barrier fault, expired ticket, misread plate, permit renewal, full garage, tow request, coin
 jam, double payment
stems: barrier_events, tickets, permit_list, plate_reads, fines, bay_sensors, pay_station, occupancy
dirs: garages, permits, fines, sensors, payments, plates, zones, appeals
columns: ticket_no, garage, bay, plate_hash, permit_type, zone, officer, tariff
codes: TKT, PRM, BAR, BAY, FIN, PAY, GAR, ZON
jargon: kerbside, ANPR, dwell, season ticket, blue zone, penalty notice, overstay, pay-and-display

courier | courier | levant, han
orgs: Swift Heron Couriers, Kargo Martı, Paper Tiger Parcels, Lantern Express, Posta Yolu, Silk Lane
 Delivery, Red Bicycle, Nine Bridges Logistics
places: depot 3, the sorting belt, locker wall 12, van bay 6, the customs cage, the returns shelf,
 the east hub, the dispatch board
things: parcel, route, stop, van, scan, depot, signature, locker, delivery attempt, returned item
measures: parcel weight kg 0.05 31.5, route length km 4 320, stop time s 20 900, van load % 5 100,
 parcel volume L 0.2 240, cash on delivery EUR 0 850, belt speed m/s 0.3 2.6, delay min 0 780
events: failed attempt, missort, damaged parcel, locker overflow, customs hold, route swap, late
 linehaul, address change
stems: parcel_scans, route_sheets, depot_sort, signatures, locker_state, failed_attempts,
 van_telematics, cash_sheet
dirs: parcels, routes, depots, lockers, vans, returns, signatures, customs
columns: tracking_no, depot, route, driver, service, locker, status, postcode
codes: PCL, RTE, DEP, VAN, LKR, STP, RET, SIG
jargon: last mile, linehaul, manifest, proof of delivery, missort, drop density, tote, cross-dock

recycling-plant | recycling plant | north, sahel
orgs: Grønn Sirkel Recycling, Second Turn Materials, Kumasi Reclaim, Fjordskrap, Loop Yard, Teranga
 Recovery, Gjenvinn Øst, Bale and Belt
places: line 2, the baler, the weigh-in gate, the optical sorter, the tipping floor, the bale yard,
 the eddy cage, the glass bunker
things: bale, load, sorting line, contaminant, container, optical sorter, shift, skip, reject
 sample, shredder
measures: bale weight kg 180 1240, purity % 71 99.8, belt speed m/s 0.4 4.1, contamination % 0.1 24,
 moisture % 2 38, throughput t/h 0.8 34, motor current A 6 240, dust mg/m3 0.1 9
events: belt jam, fire alarm, rejected load, baler change, sorter calibration, metal hit, overfull
 bunker, wrong fraction
stems: weigh_in, bale_list, sorter_counts, reject_samples, line_stops, fraction_prices, shift_notes,
 container_moves
dirs: loads, bales, lines, samples, prices, shifts, containers, alarms
columns: load_no, fraction, line, supplier, bale_id, grade, buyer, skip_no
codes: BAL, LOD, LIN, SKP, SRT, FRC, REJ, SHF
jargon: fraction, eddy current, ballistic separator, bale grade, residue, MRF, gate fee, trommel

coffee-roaster | coffee roaster | andes, nippon
orgs: Tostadora Lucero, Asagiri Coffee, Second Crack Roasters, Finca y Fuego, Kawa Bean Works, Drum
 Nine Coffee, Cerro Verde Tueste, Little Kettle Roastery
places: drum 2, the cupping table, the green store, the packing bench, the sample roaster, the
 loading door, the cooling tray, the subscription shelf
things: roast, green lot, cupping, blend, bag, farm, roast profile, subscription, sample, silo
measures: bean temperature C 24 234, development time s 40 240, weight loss % 10 21, cup score - 72
 93, green moisture % 8.5 13, drum speed rpm 42 78, bag weight g 100 5000, colour value - 38 95
events: first crack, stalled roast, blend change, sample rejection, drum cleaning, late shipment,
 scorched batch, re-cupping
stems: roast_log, green_stock, cupping_scores, blend_recipes, subscriptions, roast_profiles,
 farm_lots, dispatch_list
dirs: roasts, green, cupping, blends, profiles, farms, orders, samples
columns: roast_id, lot, origin, varietal, process, cupper, blend, roaster
codes: RST, LOT, CUP, BLN, FRM, GRN, SUB, SLO
jargon: first crack, development ratio, cupping, washed process, quaker, agtron, green bean,
 degassing

tram-depot | tram depot | slav, rhine
orgs: Tramvaj Doubrava, Ringbahn Depot, Tramlijn Zuid, Vozovna Lipová, City Loop Trams, Zajezdnia
 Stara, Gleiswerk, Points Lane Depot
places: pit 3, the wheel lathe, track 7, the paint shop, the sand tower, the dispatch window, the
 washing hall, the turning loop
things: tram, bogie, pantograph, line, driver shift, stop, wheelset, sand refill, brake test,
 workshop order
measures: wheel diameter mm 520 690, line current A 0 720, mileage km 0 920000, brake distance m 4
 62, door cycle time s 1.8 9, pantograph force N 40 110, saloon temperature C 9 34, sand level % 3
 100
events: door fault, derailment, flat wheel, pantograph snag, late pull-out, short turn, brake test,
 graffiti
stems: pull_out, workshop_orders, wheel_profiles, line_delays, sand_refills, door_faults,
 driver_shifts, mileage
dirs: trams, workshop, lines, shifts, wheels, faults, stops, energy
columns: tram_no, line, bogie, fault_code, driver, stop_id, depot_track, order_no
codes: TRM, BOG, PAN, LIN, WHL, ORD, STP, SHF
jargon: pull-out, bogie, pantograph, short turn, headway, sanding, block working, reprofiling

mountain-rescue | mountain rescue | celt, andes
orgs: Ben Corrach Rescue Team, Socorro Andino Norte, Glen Uaine Volunteers, Patrulla Cerro Gris,
 Stack Fell Rescue, Rescate Los Nevados, Cnoc Dubh Team, Scree Line Rescue
places: the base hut, the north gully, landing zone 2, the rope store, checkpoint Delta, the valley
 car park, the radio room, col west
things: callout, volunteer, stretcher, search sector, radio check, rope, dog team,
 casualty/casualties, vehicle, grid reference
measures: altitude m 180 5900, callout time min 12 1900, wind chill C -34 16, rope length m 20 220,
 team size - 2 46, battery charge % 3 100, search area km2 0.1 48, slope deg 5 78
events: callout, stand-down, sector cleared, radio blackout, helicopter request, casualty found,
 rope change, avalanche
stems: callouts, radio_log, search_sectors, kit_register, volunteer_roster, gps_tracks,
 casualty_cards, vehicle_checks
dirs: callouts, tracks, radio, kit, roster, maps, training, vehicles
columns: callout_no, sector, volunteer, grid_ref, kit_id, call_sign, severity, landing_zone
codes: CLT, SEC, VOL, KIT, RDO, DOG, CAS, VEH
jargon: grid reference, belay, stand-down, call sign, hasty team, sweep search, windchill, bothy

textile-mill | textile mill | desi, iberia
orgs: Calico Lane Mills, Fiação do Ave, Indigo Loom Works, Karigar Textiles, Hilatura Llobregat,
 Warp and Weft Company, Kanchi Weavers, Tecelagem Serrana
places: weaving shed 2, the dye house, the carding room, inspection frame 4, the yarn store, the
 warping creel, the bobbin wall, the finishing line
things: loom, roll, yarn lot, dye batch, weaver, bobbin, warp beam, fabric defect, swatch, shade
 card
measures: yarn count tex 6 120, pick rate picks/min 180 920, shed humidity % 48 82, dye bath
 temperature C 28 135, fabric width cm 70 320, tensile strength N 90 1400, roll length m 20 620,
 colour difference dE 0 6.5
events: warp break, shade deviation, loom stop, bobbin change, skewed weft, dye lot merge, oil
 stain, needle damage
stems: loom_stops, dye_recipes, yarn_stock, roll_inspection, warp_plan, shade_checks, weaver_shifts,
 orders
dirs: looms, dyehouse, yarn, rolls, inspection, shades, shifts, orders
columns: loom_no, yarn_lot, weave, dye_lot, weaver, roll_no, defect_kind, buyer
codes: LOM, ROL, YRN, DYE, WRP, BOB, SHD, WVR
jargon: warp, weft, selvedge, pick, sizing, carding, greige, mercerising

toll-road | toll road | andes, levant | held out
orgs: Autopista del Cóndor, Köprü Otoyol, Ruta Cinco Sur Concession, Salt Plain Tollway, Çamlık
 Motorway, Vía Costanera, Long Bridge Tolls, Desert Crossing Road
places: plaza 3, lane 8, gantry K42, the toll office, the tunnel portal, the weigh station, rest
 area 5, the bridge approach
things: transit, toll plaza, lane, transponder tag, gantry, vehicle class/vehicle classes,
 exemption, violation, shift, receipt
measures: toll EUR 0.4 86, vehicle speed km/h 4 168, axle count - 2 9, axle weight t 0.5 13, lane
 queue - 0 62, tag signal dBm -92 -30, cash float EUR 50 3200, transit time s 2 240
events: unread tag, lane closure, wrong class, violation notice, exempt transit, double charge,
 barrier strike, shift change
stems: transits, lane_log, tag_accounts, violations, tariff_classes, gantry_health, shift_cash,
 exemptions
dirs: transits, plazas, tags, tariffs, violations, shifts, gantries, receipts
columns: transit_id, plaza, lane, tag_no, vehicle_class, operator, gantry, exemption
codes: TRX, PLZ, TAG, GTY, LAN, VIO, EXM, SHF
jargon: free flow, gantry, transponder, vehicle class, violation, reconciliation, interoperability,
 axle count

fishery | fishery | nippon, north
orgs: Minato Fisheries, Havsild Cooperative, Kurogane Trawlers, Lofthavn Catch, Three Nets Fishery,
 Isobune Quota Office, Sildevik Fisk, Tidal Row Fishing
places: quay 5, the auction hall, the ice plant, fishing ground 27, the gutting line, cold store B,
 the net loft, the slipway
things: haul, vessel, landing, quota, fishing ground, species, net, crate, auction lot, observer
measures: catch weight kg 2 18400, mesh size mm 40 160, tow time min 20 420, sea temperature C -1
 21, fish length cm 8 142, ice ratio % 5 60, auction price EUR/kg 0.6 38, trawl depth m 12 860
events: quota exceedance, net tear, bycatch, gear loss, auction withdrawal, late logbook, port
 inspection, species correction
stems: landings, haul_log, quota_ledger, auction_lots, vessel_positions, observer_notes, ice_stock,
 gear_register
dirs: vessels, landings, quotas, auction, hauls, gear, observers, grounds
columns: vessel_no, species, ground, gear, skipper, landing_port, lot_no, grade
codes: VES, HAU, LND, QTA, LOT, NET, GRD, OBS
jargon: bycatch, quota, codend, discard, trawl, high-grading, landing obligation, soak time
"""
"""Blocks separated by one empty line."""
